"""The routes: requests and replies, and what else calls from outside: orchestrator and batches."""
