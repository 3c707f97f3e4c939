"""Analysis of bytes: media type, content coding, Unicode encoding. Both upper floors use it."""
