"""The UI schedulers: one worker, its queue, its log and its metrics."""
