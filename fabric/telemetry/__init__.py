"""What is seen from outside: the logger and spans. It knows no block and no row."""
