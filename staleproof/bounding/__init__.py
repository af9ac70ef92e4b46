"""What ``staleproof bounds`` does: reads a question, answers it as plain data, words the answer."""
