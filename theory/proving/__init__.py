"""Search for certificates: each is an ordinary `Combine`, and only the kernel's check counts."""
