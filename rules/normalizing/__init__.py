"""FP2xx: calls whose deletion is observable."""
