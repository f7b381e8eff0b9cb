"""How a program chooses its device and moves things to it."""

from __future__ import annotations

from .forms import forms

DEVICES = {
    "chosen": forms("""
torch.device("cuda" if torch.cuda.is_available() else "cpu")
--
"cuda" if torch.cuda.is_available() else "cpu"
--
args.device
--
pick()
"""),
    "device": forms("""
device = $chosen
--
device = $chosen
--
if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")
--
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
--
device = "cpu"
if torch.cuda.is_available():
    device = "cuda"
--
(device := $chosen)
--
with torch.no_grad():
    device = $chosen
--
try:
    device = $chosen
except RuntimeError:
    device = torch.device("cpu")
--
for device in [$chosen]:
    pass
--
device, other = $chosen, "phone"
--
if args.lr:
    device = $chosen
"""),
    "model": forms("""
model = nn.Linear(3, 1).to(device)
--
model = nn.Linear(3, 1).to(device)
--
model = nn.Linear(3, 1)
model.to(device)
--
model = nn.Sequential(nn.Linear(3, 1)).to(device)
--
model = Small().to(device)
--
model = nn.Linear(3, 1).to(args.device)
--
model = nn.Linear(3, 1)
if args.cuda:
    model.cuda()
--
model = nn.Linear(3, 1)
if torch.cuda.is_available():
    model.cuda()
--
model = nn.Linear(3, 1)
model = model.to(device) if args.cuda else model
--
model = nn.Linear(3, 1).to(pick())
--
devices = [device]
model = nn.Linear(3, 1).to(devices.pop())
--
def build():
    device = $chosen
    return nn.Linear(3, 1).to(device)
model = build()
--
def build(device):
    return nn.Linear(3, 1).to(device)
model = build(device)
"""),
    "place": forms("""
device
--
device, torch.float64
--
args.device
--
"cpu"
--
device=device, copy=True
"""),
    "move": forms("""
.to(device)
--
.to(device)
--
.to(device=device, non_blocking=True)
--
.to(args.device)
--
.to(pick())
--
.to("cpu")
--
.to(device, torch.float16)
--
.half()
--
.to(device, copy=True)
"""),
}
