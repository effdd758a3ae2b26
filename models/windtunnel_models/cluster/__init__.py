"""The cluster: hosts with programs and stores, the network between them, and a fleet of workers."""
