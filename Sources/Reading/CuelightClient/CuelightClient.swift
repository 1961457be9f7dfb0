// Everything that a viewer's client needs, in one import: it turns timed metadata of a player into the state of the game.

@_exported public import Basics
@_exported public import GameEvents
@_exported public import Seals
@_exported public import StateMachine
