"""What every game shares: the protocol, the batch class, compiled kernels, random streams, masks, snapshots, checks."""
