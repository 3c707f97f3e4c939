"""From bytes to text: charset labels, detection and codecs."""
