"""Search for certificates; what it finds is an ordinary `Combine`, and only the kernel's check counts."""
