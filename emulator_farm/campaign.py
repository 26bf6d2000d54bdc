"""The harvest command: check everything, start what is needed, play what is missing."""

from __future__ import annotations

import fcntl
import io
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

import redis
from PIL import Image
from pydantic import ValidationError

import agent_server
from agent_server.client import PolicyClient
from agent_server.errors import PolicyError, PolicyRejected
from agent_server.schemas import ModelCard
from emulator_farm.board import Order
from emulator_farm.config import HarvestConfig
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.errors import AlreadyPublished, CallerError, PolicyFault, QueueError, StoreError
from emulator_farm.fleet import Fleet
from emulator_farm.harvest import Harvest
from emulator_farm.phones import DevicesSpec
from emulator_farm.plan import Identity, Manifest, identify, plan
from emulator_farm.progress import Outcome, Progress, Watcher
from emulator_farm.rollout import missing_tokens
from emulator_farm.site import read_token
from emulator_farm.store import Store
from emulator_farm.tasks.spec import load_tasks

_PROBE_SIZE = (364, 784)
_PROBE_PAUSE_S = 0.5


class Campaign:
    """One `harvest` command.

    Construction checks all input, then makes the run's record; it touches no phone. It raises CallerError, PolicyFault
    where the policy server cannot be used, QueueError where Redis cannot, and StoreError for a record that is damaged.
    """

    def __init__(self, config: HarvestConfig) -> None:
        self.config = config
        self._devices = DevicesSpec.parse(config.devices)
        if config.reset.level == "recycle" and self._devices.kind != "virtual" and not config.reset.reboot:
            raise CallerError(f"--reset recycle restarts {config.devices}, which --allow-reboot must allow")
        self.store = Store(config.out)
        tasks = load_tasks(config.tasks)
        token = read_token(Path(config.policy_token_file)) if config.policy_token_file else None
        try:
            self._policy = PolicyClient(config.policy, token=token, timeout_s=config.policy_timeout_s)
        except ValueError as error:
            raise CallerError(f"--policy: {error}") from None
        with self._policy:
            card = _card(self._policy, config)
            if config.tokens:
                _require_tokens(self._policy, config)
        identity = identify(
            tasks,
            samples=config.samples,
            seed=config.seed,
            card=card,
            sampling=config.sampling,
            limits=config.limits,
            reset=config.reset,
        )
        self.planned = plan(tasks, samples=config.samples, seed=config.seed)
        self.manifest = self._run_there(identity) or self._new_run(identity, card)
        self._order = Order(
            run=identity.run,
            policy_url=config.policy,
            policy_timeout_s=config.policy_timeout_s,
            model=config.model,
            adapter=card.adapter,
            sampling=config.sampling,
            defaults=card.sampling,
            images=card.images,
            tokens=config.tokens,
            limits=config.limits,
            reset=config.reset,
        )

    @property
    def copies(self) -> bool:
        """Whether the samples of a task will be the same: a model's, at temperature 0."""
        return self.config.samples > 1 and self.manifest.identity.sampling.get("temperature") == 0

    def missing(self) -> int:
        """How many episodes the store does not hold yet."""
        done = self.store.episode_ids()
        return sum(one.episode_id not in done for one in self.planned)

    def run(self, watcher: Watcher) -> Outcome:
        """Play what is missing; SIGINT and SIGTERM stop it cleanly, a second one at once.

        Raises CallerError where another harvest is at it, InfrastructureError where nothing can be played.
        """
        if self.missing() == 0:
            return Outcome(Progress(total=len(self.planned), held=len(self.planned)))
        self.store.claim()
        try:
            return self._play(watcher)
        except redis.RedisError as error:
            raise QueueError(f"Redis failed: {error}") from error

    def _play(self, watcher: Watcher) -> Outcome:
        with ExitStack() as stack:
            stack.enter_context(self._policy)
            stack.enter_context(_alone(self.store))
            log_dir = log_folder(self.config.log_dir, self.config.out)
            valkey = None if self.config.redis else stack.enter_context(EmbeddedValkey())
            url = self.config.redis or (valkey.url if valkey else "")
            require_redis(url)
            fleet = Fleet(
                redis_url=url,
                run=self._order.run,
                out=self.config.out,
                devices=self._devices,
                log_dir=log_dir,
                policy_token_file=self.config.policy_token_file,
                frames=self.config.limits.frames,
                reset=self.config.reset,
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

    def _run_there(self, identity: Identity) -> Manifest | None:
        """The run in the store, None where there is none. Raises RunMismatch where it is not the one asked for."""
        try:
            found = self.store.run()
        except StoreError:
            self.store.claim()  # where the place itself is at fault, the caller is told so
            raise
        if found is None:
            return None
        try:
            manifest = Manifest.model_validate(found)
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3])
            raise CallerError(f"{self.store.uri}/run.json was not written by this version: {faults}") from None
        manifest.require(identity, self.store.uri)
        return manifest

    def _new_run(self, identity: Identity, card: ModelCard) -> Manifest:
        """Make the record, after what else can be wrong was looked at."""
        if self.config.redis:
            require_redis(self.config.redis)
        if self.config.log_dir:
            log_folder(self.config.log_dir, self.config.out)
        manifest = Manifest.new(
            identity,
            version=agent_server.__version__,
            source=self.config.tasks,
            planned=self.planned,
            prompt_origin=card.prompt_origin,
        )
        try:
            self.store.create_run(manifest.model_dump(mode="json"))
        except AlreadyPublished:  # by another harvest, since we looked
            return self._run_there(identity) or manifest
        return manifest


def require_redis(url: str) -> None:
    """Raise QueueError with the address where no Redis answers, CallerError where this is no address of one."""
    scheme, _, rest = url.partition("://")
    shown = f"{scheme}://…@{rest.rpartition('@')[2]}" if "@" in rest else url
    connection: redis.Redis | None = None
    try:
        connection = redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5)
        connection.ping()
    except redis.RedisError as error:
        raise QueueError(f"Redis at {shown} does not answer: {error}") from None
    except (ValueError, TypeError) as error:  # what the client says of host names and options that cannot be
        raise CallerError(f"--redis {shown!r}: {error}") from None
    finally:
        if connection is not None:
            connection.close()


def log_folder(asked: str | None, out: str) -> Path:
    """Where workers write their logs: as asked, else beside a local record, else a temporary folder. It is made.

    Raises CallerError where it cannot be written to.
    """
    if not asked and "://" in out:
        return Path(tempfile.mkdtemp(prefix="farm-logs-"))
    folder = Path(asked) if asked else Path(out).expanduser() / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise CallerError(f"cannot write logs to {folder}: {error.strerror or error}; see --log-dir") from None
    return folder


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
    except PolicyRejected as error:
        hint = "; see --policy-token-file" if error.status in (401, 403) else ""
        raise CallerError(f"the policy server at {config.policy} refuses: {error}{hint}") from None
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


def _require_tokens(policy: PolicyClient, config: HarvestConfig) -> None:
    """Ask for one token on an empty screen. Raises CallerError where it comes without what is to be recorded of it."""
    picture = io.BytesIO()
    Image.new("RGB", _PROBE_SIZE, "white").save(picture, "PNG")
    sampling = config.sampling.model_copy(update={"max_tokens": 1})
    deadline, pause = time.monotonic() + config.patience_s, threading.Event()
    while True:
        try:
            response = policy.act("Wait", picture.getvalue(), model=config.model, sampling=sampling, return_tokens=True)
            break
        except PolicyRejected as error:
            raise CallerError(f"the policy server at {config.policy} refuses: {error}") from None
        except PolicyError as error:
            if time.monotonic() >= deadline:
                raise PolicyFault(f"the policy server at {config.policy} cannot be used: {error}") from None
        pause.wait(_PROBE_PAUSE_S)
    missing = missing_tokens(response)
    if missing:
        raise CallerError(f"--tokens: {response.model} at {config.policy} answers without {' and '.join(missing)}")


@contextmanager
def _alone(store: Store) -> Iterator[None]:
    """Keep a second harvest out of a local folder (elsewhere the lease in Redis does). Raises CallerError."""
    if "://" in store.uri:
        yield
        return
    path = Path(store.uri) / ".harvest.lock"
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(path.open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CallerError(f"another harvest is writing to {store.uri}; use `work` to join it") from None
        except OSError as error:
            raise CallerError(f"{path} cannot be locked: {error.strerror or error}") from None
        yield
