//! Supervised children: groups, deadlines, pinning, a scrubbed environment, and accounting of the tree.
