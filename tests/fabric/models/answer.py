"""The schema that the bad answers of the stub server are answers to."""

from typing import Literal

from pydantic import BaseModel, Field


class Item(BaseModel):
    content: str
    importance: float = Field(0.5, ge=0, le=1)
    category: Literal["fact", "plan"] = "fact"


class Answer(BaseModel):
    observations: list[Item] = Field(max_length=25)

    @property
    def contents(self) -> tuple[str, ...]:
        return tuple(item.content for item in self.observations)
