"""Charts of the web page: their time axes, and the places of their columns."""
