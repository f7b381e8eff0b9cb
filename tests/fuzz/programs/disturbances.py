"""What gets in the way: names are deleted, bound anew, shadowed, taken by others."""

from __future__ import annotations

from .forms import forms

DISTURBANCES = {
    "disturb": forms("""
pass
--
pass
--
pass
--
del device
--
device = 7
--
device = "phone"
--
for device in "ab":
    pass
--
args = SimpleNamespace(lr=1)
--
del args.device
--
args.device = "phone"
--
args.cuda = "yes"
--
del args
--
def rename():
    global device
    device = "phone"
rename()
--
def remove():
    global device
    del device
remove()
--
if args.lr:
    device = "phone"
--
if not args.lr:
    device = "phone"
--
try:
    device = "phone"
except ValueError:
    pass
--
try:
    raise ValueError
except ValueError as device:
    pass
--
with suppress(KeyError):
    device = "phone"
    raise KeyError
--
with suppress(KeyError):
    raise KeyError
    device = "cpu"
--
import math as device
--
class device:
    pass
--
def device():
    return "phone"
--
match "phone":
    case device:
        pass
--
while True:
    device = "phone"
    break
--
device, _ = "phone", 1
--
print([device := letter for letter in "ab"])
--
print([device for device in "ab"])
--
for number in range(2):
    if number:
        device = "phone"
--
next = 3
--
def next(first, second):
    return 1
--
from math import *
--
model.parameters = lambda: iter(())
--
globals()["device"] = "phone"
--
setattr(args, "device", "phone")
--
vars(args).clear()
--
def __getattr__(name):
    return "phone"
"""),
}
