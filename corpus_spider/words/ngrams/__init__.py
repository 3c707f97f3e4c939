"""N-grams of searched units: what they are, their numbers, and how they are counted below a bound of memory."""
