"""Who holds what, until when: leases in Redis with a time to live and a fencing number.

One set of leases serves episodes (a *claim*: who plays it) and another phones (who drives it). A lease is a member of a
sorted set scored with its expiry in Redis's own clock, and an entry of a hash with its fencing number and holder. Every
transition is one Lua script, so no interleaving gives a member two holders. An expired lease stays where it is until
whoever watches the set has made the old holder harmless and reaps it: expiry alone frees nothing.

Fencing numbers grow for ever, also over the loss of everything in Redis: they start from its clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import redis
from pydantic import BaseModel, ConfigDict
from redis.commands.core import Script

_FENCE = "farm:fence"

_ACQUIRE = """
-- KEYS: expiries, holders, fence. ARGV: member, holder, ttl_ms. Returns the fencing number, or false where it is held.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return false end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('SET', KEYS[3], string.format('%.0f', t[1] * 1000000 + t[2]), 'NX')
local fence = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', fence) .. ' ' .. ARGV[2])
return string.format('%.0f', fence)
"""

_RENEW = """
-- KEYS: expiries, holders. ARGV: member, fence, ttl_ms. Returns 1 where the fence still holds and has not expired.
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then return 0 end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) <= now then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
return 1
"""

_END = """
-- KEYS: expiries, holders. ARGV: member, fence. Removes the lease where the fence still holds.
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
"""

_FORFEIT = """
-- KEYS: expiries, holders. ARGV: member, fence. Makes the lease expire now where the fence still holds.
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], 0, ARGV[1])
return 1
"""

_ANNOTATE = """
-- KEYS: expiries, holders. ARGV: member, fence, holder. Replaces the holder where the fence still holds.
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
return 1
"""

_NOTE = """
-- KEYS: expiries, holders, notes. ARGV: member, fence, text. Notes the text of the member where the fence still holds.
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
return 1
"""

_LIST = """
-- KEYS: expiries, holders. Returns the time and, for each member, its expiry and entry.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local rows = {string.format('%.0f', now)}
local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #members, 2 do
  rows[#rows + 1] = members[i]
  rows[#rows + 1] = members[i + 1]
  rows[#rows + 1] = redis.call('HGET', KEYS[2], members[i]) or ''
end
return rows
"""


class Holder(BaseModel):
    """Who holds a lease. `pid` and `born` (the process's start time) name one process of `host`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    worker: str
    pid: int
    born: str = ""
    run: str = ""
    episode: str = ""
    claim_fence: int = 0
    attempt: int = 0
    phone: str = ""


@dataclass(frozen=True)
class Lease:
    """A member and the right to it. `left_ms` is the time to live that remained when it was read."""

    member: str
    fence: int
    holder: Holder
    left_ms: int

    @property
    def expired(self) -> bool:
        return self.left_ms <= 0


class Leases:
    """One set of leases under the Redis key `name`. All times are Redis TIME. Raises redis.RedisError."""

    def __init__(self, connection: redis.Redis, name: str, ttl_s: float) -> None:
        self.connection = connection
        self.ttl_s = ttl_s
        self._keys = [f"{name}:expiries", f"{name}:holders"]
        self._ttl_ms = round(ttl_s * 1000)
        self._scripts: dict[str, Script] = {}

    def acquire(self, member: str, holder: Holder) -> Lease | None:
        """Take the lease, or None where anyone holds it, be it expired."""
        keys = [*self._keys, _FENCE]
        fence = self._run(_ACQUIRE, keys, [member, holder.model_dump_json(), self._ttl_ms])
        return None if fence is None else Lease(member, int(cast("bytes", fence)), holder, self._ttl_ms)

    def acquire_first(self, members: Iterable[str], holder: Holder) -> Lease | None:
        """Take the first of `members` that is free, or None."""
        for member in members:
            lease = self.acquire(member, holder)
            if lease is not None:
                return lease
        return None

    def renew(self, lease: Lease) -> bool:
        """Extend by the full time to live; False where the lease has expired or is someone else's."""
        return self._run(_RENEW, self._keys, [lease.member, lease.fence, self._ttl_ms]) == 1

    def release(self, lease: Lease) -> bool:
        """Give it back; False where it was no longer ours."""
        return self._run(_END, self._keys, [lease.member, lease.fence]) == 1

    def forfeit(self, lease: Lease) -> bool:
        """Let it expire now, for instance because its holder is known to be dead."""
        return self._run(_FORFEIT, self._keys, [lease.member, lease.fence]) == 1

    def annotate(self, lease: Lease, holder: Holder) -> bool:
        """Say more about the holder; False where the lease is someone else's."""
        return self._run(_ANNOTATE, self._keys, [lease.member, lease.fence, holder.model_dump_json()]) == 1

    def note(self, lease: Lease, notes: str, text: str) -> bool:
        """Write what the holder found out of the member into the hash `notes`; False where it is not the holder now."""
        return self._run(_NOTE, [*self._keys, notes], [lease.member, lease.fence, text]) == 1

    def held(self) -> list[Lease]:
        """Every lease, expired ones included."""
        rows = cast("list[bytes]", self._run(_LIST, self._keys, []))
        now = int(rows[0])
        leases = []
        for member, expiry, entry in zip(rows[1::3], rows[2::3], rows[3::3], strict=True):
            fence, _, holder = entry.decode().partition(" ")
            leases.append(
                Lease(member.decode(), int(fence), Holder.model_validate_json(holder), round(float(expiry)) - now)
            )
        return leases

    def clear(self) -> None:
        """Forget every lease of this set."""
        self.connection.delete(*self._keys)

    def _run(self, script: str, keys: list[str], args: list[object]) -> object:
        registered = self._scripts.get(script)
        if registered is None:
            registered = self._scripts[script] = self.connection.register_script(script)
        return registered(keys, cast("list[str]", args))
