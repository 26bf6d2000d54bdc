"""One phone over ADB: transport, frames, keyboard, actions, health."""
