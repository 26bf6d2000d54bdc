"""The harvest command: check everything, start what is needed, play what is missing."""

from __future__ import annotations

import fcntl
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

import redis

import agent_server
from agent_server.client import PolicyClient
from agent_server.errors import PolicyError
from agent_server.schemas import ModelCard
from emulator_farm.board import Order
from emulator_farm.config import HarvestConfig
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.errors import CallerError, PolicyFault, QueueError
from emulator_farm.fleet import Fleet
from emulator_farm.harvest import Harvest
from emulator_farm.phones import DevicesSpec
from emulator_farm.plan import Identity, Manifest, Planned, identify, plan
from emulator_farm.progress import Outcome, Progress, Watcher
from emulator_farm.site import read_token
from emulator_farm.store import Store
from emulator_farm.tasks.spec import load_tasks


class Campaign:
    """One `harvest` command.

    Construction checks all input and touches no phone. It raises CallerError, and PolicyFault where the policy server
    cannot be used.
    """

    def __init__(self, config: HarvestConfig) -> None:
        self.config = config
        self._devices = DevicesSpec.parse(config.devices)
        tasks = load_tasks(config.tasks)
        token = read_token(Path(config.policy_token_file)) if config.policy_token_file else None
        try:
            self._policy = PolicyClient(config.policy, token=token, timeout_s=config.policy_timeout_s)
        except ValueError as error:
            raise CallerError(f"--policy: {error}") from None
        with self._policy:
            card = _card(self._policy, config)
        identity = identify(
            tasks,
            samples=config.samples,
            seed=config.seed,
            card=card,
            sampling=config.sampling,
            limits=config.limits,
        )
        self.planned = plan(tasks, samples=config.samples, seed=config.seed)
        self.store = Store(config.out)
        self.manifest = _manifest(self.store, identity, config, self.planned)
        self._order = Order(
            run=identity.run,
            policy_url=config.policy,
            policy_timeout_s=config.policy_timeout_s,
            model=config.model,
            adapter=card.adapter,
            sampling=config.sampling,
            limits=config.limits,
        )

    def missing(self) -> int:
        """How many episodes the store does not hold yet."""
        done = self.store.episode_ids()
        return sum(one.episode_id not in done for one in self.planned)

    def run(self, watcher: Watcher) -> Outcome:
        """Play what is missing; SIGINT and SIGTERM stop it cleanly, a second one at once."""
        if self.missing() == 0:
            return Outcome(Progress(total=len(self.planned), held=len(self.planned)))
        with ExitStack() as stack:
            stack.enter_context(self._policy)
            stack.enter_context(_alone(self.store))
            valkey = None if self.config.redis else stack.enter_context(EmbeddedValkey())
            url = self.config.redis or (valkey.url if valkey else "")
            require_redis(url)
            fleet = Fleet(
                redis_url=url,
                out=self.config.out,
                devices=self._devices,
                log_dir=log_folder(self.config.log_dir, self.config.out),
                policy_token_file=self.config.policy_token_file,
            )
            harvest = Harvest(
                store=self.store,
                planned=self.planned,
                order=self._order,
                redis_url=url,
                policy=self._policy,
                fleet=stack.enter_context(fleet),
                valkey=valkey,
                watcher=watcher,
                patience_s=self.config.patience_s,
            )
            stack.enter_context(stopping_signals(harvest.stop.set))
            return harvest.run()


def require_redis(url: str) -> None:
    """Raise QueueError with the address where no Redis answers."""
    try:
        connection = redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5)
    except ValueError as error:
        raise CallerError(f"--redis {url!r}: {error}") from None
    try:
        connection.ping()
    except redis.RedisError as error:
        raise QueueError(f"Redis at {url} does not answer: {error}") from None
    finally:
        connection.close()


def log_folder(asked: str | None, out: str) -> Path:
    """Where workers write their logs: as asked, else beside a local record, else a temporary folder."""
    if asked:
        return Path(asked)
    return Path(tempfile.mkdtemp(prefix="farm-logs-")) if "://" in out else Path(out) / "logs"


@contextmanager
def stopping_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first SIGINT or SIGTERM; the second one does what it did before."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, _frame: FrameType | None) -> None:
        stop()
        for each, handler in before.items():
            signal.signal(each, handler)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _card(policy: PolicyClient, config: HarvestConfig) -> ModelCard:
    try:
        cards = policy.models()
    except PolicyError as error:
        raise PolicyFault(f"the policy server at {config.policy} cannot be used: {error}") from None
    if not cards:
        raise CallerError(f"the policy server at {config.policy} serves no model")
    if config.model is None:
        return cards[0]
    for card in cards:
        if card.id == config.model:
            return card
    known = ", ".join(card.id for card in cards)
    raise CallerError(f"the policy server at {config.policy} does not serve {config.model!r}; it serves {known}")


def _manifest(store: Store, identity: Identity, config: HarvestConfig, planned: list[Planned]) -> Manifest:
    found = store.run()
    if found is None:
        store.claim()
        manifest = Manifest.new(identity, version=agent_server.__version__, source=config.tasks, planned=planned)
        store.create_run(manifest.model_dump(mode="json"))
        return manifest
    try:
        manifest = Manifest.model_validate(found)
    except ValueError as error:
        raise CallerError(f"{store.uri}/run.json was not written by this version: {error}") from None
    manifest.require(identity, store.uri)
    return manifest


@contextmanager
def _alone(store: Store) -> Iterator[None]:
    """Keep a second harvest out of a local folder (elsewhere the lease in Redis does). Raises CallerError."""
    if "://" in store.uri:
        yield
        return
    with (Path(store.uri) / ".harvest.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CallerError(f"another harvest is writing to {store.uri}; use `work` to join it") from None
        yield
