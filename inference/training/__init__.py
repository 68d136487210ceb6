"""How the project's own networks were made. Runs apart from the product, in an environment with torch."""
