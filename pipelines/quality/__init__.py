"""Quality signals of a text and the rules on them."""
