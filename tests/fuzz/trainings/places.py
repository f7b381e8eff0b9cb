"""Devices, and how things are moved there, or forgotten."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

PLACES = {
    "device": forms("""
device = torch.device("cuda")
--
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
--
device = "cuda" if torch.cuda.is_available() else "cpu"
--
use_cuda = torch.cuda.is_available()
device = torch.device("cuda:0" if use_cuda else "cpu")
--
if torch.cuda.is_available():
    device = torch.device("cuda:0")
else:
    device = torch.device("cpu")
--
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args([])
device = torch.device(args.device)
--
parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args([])
args.cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if args.cuda else "cpu")
--
def get_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


device = get_device()
--
config = {"device": "cuda", "lr": 0.1}
device = config["device"]
--
class Config:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lr = 0.1


device = Config.device
--
@dataclass
class Settings:
    device: str = "cuda"
    lr: float = 0.1


settings = Settings()
device = torch.device(settings.device)
"""),
    "to": forms("""
.to(device)
--
.to(device)
--
.to(device)
--
.to(device)
--
.to(device)
--
.to(device, non_blocking=True)
--
.cuda()
--
.to(device=device)
--
.float().to(device)
--
.to(device).float()
--
.to(device).contiguous()
--
.to("cuda")
--
.detach().to(device)
--
$nowhere
"""),
    "tolong": forms("""
.to(device)
--
.to(device)
--
.to(device)
--
.to(device)
--
.to(device, non_blocking=True)
--
.cuda()
--
.to(device=device)
--
.long().to(device)
--
.to(device).long()
--
.to(device=device, dtype=torch.long)
--
$nowhere
"""),
    "nowhere": forms("""
.clone()
--
.contiguous()
"""),
    "dev": forms("""
, device=device
--
, device=device
--
, device=device
--
, device=device
--
).to(device
--
).to(device
--
).cuda(
--
$here
"""),
    "moved": (".to(device)", ".to(device)", ".to(device)", ".cuda()", ".to(device)", ""),
    "where": forms("""
, device=x.device
--
, device=x.device
--
, device=x.device
--
, dtype=x.dtype, device=x.device
--
).to(x.device
--
).to(x
--
).type_as(x
--
$here
"""),
    "here": forms("""
, requires_grad=False
--
).float(
"""),
}
"""Moves that are left out leave something in their place that changes nothing."""
