"""What the analysis found out: all that rules may see."""
