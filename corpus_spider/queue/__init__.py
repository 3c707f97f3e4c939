"""Queue of crawls: batches of sites in the corpus' own PostgreSQL, taken by workers on any number of machines."""
