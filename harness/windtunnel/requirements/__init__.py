"""Requirements: the catalogues of their ids, who names them, and what came of it."""
