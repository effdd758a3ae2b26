"""Systems under test: what a scenario of each may say, and how services and ports make it."""
