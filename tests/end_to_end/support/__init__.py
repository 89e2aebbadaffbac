"""What the test modules share: servers and clients, reference models of the rules, random histories."""
