"""The programs: how one is found, started so that it cannot outlive us, and ended."""
