"""What is proven of the names and expressions that fixes write: `proof.Proof` is whom they ask."""
