// What a viewer's client needs, in one import: what a player hands over, and the game that it makes.

@_exported public import Basics
@_exported public import GameEvents
@_exported public import Seals
@_exported public import StateMachine
