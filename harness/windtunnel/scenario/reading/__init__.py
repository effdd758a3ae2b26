"""Reading: from nodes to a scenario, with every mistake of the file told at once."""
