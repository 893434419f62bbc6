internal import PushModel
