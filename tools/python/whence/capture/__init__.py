"""Recording in the background: calls of models as records, and the queue that sends them."""
