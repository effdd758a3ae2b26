"""The stand-in: a small chat window that behaves as WeChat does, misbehaves when told, and logs."""
