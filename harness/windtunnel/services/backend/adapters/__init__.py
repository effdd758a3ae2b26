"""The adapters: how a task is said to either platform; the same methods, two wire forms (RT-A1)."""
