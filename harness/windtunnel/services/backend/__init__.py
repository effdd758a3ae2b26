"""The backend: takes its owners' tasks, sends each to a platform, and tells what became of it."""
