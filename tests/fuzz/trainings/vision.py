"""Programs about pictures: what is where in them, which pixel is what, pictures of other kinds."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

VISION = {
    "vision": forms("""
$device


class Detector(nn.Module):
    def __init__(self, classes=2, size=4):
        super().__init__()
        self.classes = classes
        self.size = size
        self.backbone = nn.Conv2d(3, 8, 3, padding=1)
        self.predict = nn.Conv2d(8, 5 + classes, 1)
        $anchorskeep

    def grid(self, x):
        $grid
        return grid

    def decode(self, x):
        b, _, h, w = x.shape
        x = x.permute(0, 2, 3, 1)
        xy = (torch.sigmoid(x[..., :2]) + self.grid(x)) / self.size
        wh = torch.exp(x[..., 2:4]) * $anchorsread
        return torch.cat([xy, wh, torch.sigmoid(x[..., 4:])], dim=-1)

    def forward(self, images):
        return self.decode(self.predict(torch.relu(self.backbone(images))))


def build_targets(pred, boxes):
    x = pred
    b, h, w = pred.shape[:3]
    obj = torch.zeros(b, h, w$where)
    target = torch.zeros(b, h, w, 4$where)
    for i in range(b):
        cx, cy = (boxes[i, :2] * h).long()
        obj[i, cy, cx] = 1
        target[i, cy, cx] = boxes[i]
    return obj, target


class Boxes(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.rand(3, 4, 4), torch.rand(4) * 0.9


loader = DataLoader(Boxes(), batch_size=2)
model = Detector()$there
optimizer = torch.optim.Adam(model.parameters())
for images, boxes in loader:
    images = images$to
    boxes = boxes$to
    pred = model(images)
    obj, target = build_targets(pred, boxes)
    mask = obj == 1
    loss = F.mse_loss(pred[..., :4][mask], target[mask])
    loss = loss + F.binary_cross_entropy(pred[..., 4], obj)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device


class Down(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(inplace=True))

    def forward(self, x):
        return F.max_pool2d(self.conv(x), 2)


class UNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.down = Down(3, 4)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.out = nn.Conv2d(7, classes, 1)

    def forward(self, x):
        y = self.up(self.down(x))
        $coordinates
        return self.out(torch.cat([y, x], dim=1))


class DiceLoss(nn.Module):
    def __init__(self, classes=3, eps=1e-6):
        super().__init__()
        self.classes = classes
        self.eps = eps
        $classweight

    def one_hot(self, labels):
        x = labels
        hot = torch.zeros(labels.size(0), self.classes, *labels.shape[1:]$where)
        return hot.scatter_(1, labels.unsqueeze(1), 1.0)

    def forward(self, logits, labels):
        probs = torch.softmax(logits, dim=1)
        hot = self.one_hot(labels)
        inter = (probs * hot).sum(dim=(0, 2, 3))
        union = (probs + hot).sum(dim=(0, 2, 3))
        dice = (2 * inter + self.eps) / (union + self.eps)
        return 1 - $classmean


class Confusion:
    def __init__(self, classes):
        self.classes = classes
        self.matrix = None

    def update(self, truth, pred):
        x = truth
        n = self.classes
        if self.matrix is None:
            self.matrix = torch.zeros((n, n), dtype=torch.long$mask)
        with torch.no_grad():
            inds = n * truth.flatten() + pred.flatten()
            self.matrix += torch.bincount(inds, minlength=n ** 2).reshape(n, n)

    def compute(self):
        h = self.matrix.float()
        return (torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h) + 1e-6)).mean().item()


class Masks(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.rand(3, 4, 4), torch.randint(0, 3, (4, 4))


train_loader = DataLoader(Masks(), batch_size=2)
net = UNet()$there
criterion = DiceLoss()$maybe
confusion = Confusion(3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for i, sample in enumerate(train_loader):
    imgs, true_masks = sample
    imgs = imgs$to
    true_masks = true_masks$tolong
    masks_pred = net(imgs)
    loss = criterion(masks_pred, true_masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    confusion.update(true_masks, masks_pred.argmax(1))
print(confusion.compute() >= 0)
--
$device


class BaseModel:
    def __init__(self, opt):
        self.opt = opt
        self.gpu_ids = opt.gpu_ids
        self.device = torch.device("cuda:0") if self.gpu_ids else torch.device("cpu")
        self.loss_names = []
        self.model_names = []

    def setup(self):
        for name in self.model_names:
            net = getattr(self, "net" + name)
            $nameto

    def get_current_losses(self):
        return {name: float(getattr(self, "loss_" + name)) for name in self.loss_names}

    def set_requires_grad(self, nets, requires_grad=False):
        for net in nets if isinstance(nets, list) else [nets]:
            for param in net.parameters():
                param.requires_grad = requires_grad


class GANLoss(nn.Module):
    def __init__(self, real=1.0, fake=0.0):
        super().__init__()
        $ganlabels
        self.loss = nn.MSELoss()

    def get_target(self, prediction, is_real):
        target = self.real_label if is_real else self.fake_label
        return target.expand_as(prediction)

    def __call__(self, prediction, is_real):
        return self.loss(prediction, self.get_target(prediction, is_real))


class Pix2Pix(BaseModel):
    def __init__(self, opt):
        BaseModel.__init__(self, opt)
        self.loss_names = ["G", "D"]
        self.model_names = ["G", "D"]
        self.netG = nn.Conv2d(3, 3, 3, padding=1)
        self.netD = nn.Conv2d(6, 1, 3)
        self.setup()
        self.criterionGAN = GANLoss()$maybe
        self.criterionL1 = nn.L1Loss()
        self.optimizer_G = torch.optim.Adam(self.netG.parameters())
        self.optimizer_D = torch.optim.Adam(self.netD.parameters())

    def set_input(self, input):
        a_to_b = self.opt.direction == "AtoB"
        self.real_A = input["A" if a_to_b else "B"]$selfto
        self.real_B = input["B" if a_to_b else "A"]$selfto
        self.image_paths = input["path"]

    def forward(self):
        self.fake_B = self.netG(self.real_A)

    def backward_D(self):
        fake = torch.cat((self.real_A, self.fake_B), 1)
        real = torch.cat((self.real_A, self.real_B), 1)
        self.loss_D = 0.5 * (
            self.criterionGAN(self.netD(fake.detach()), False)
            + self.criterionGAN(self.netD(real), True)
        )
        self.loss_D.backward()

    def backward_G(self):
        fake = torch.cat((self.real_A, self.fake_B), 1)
        self.loss_G = self.criterionGAN(self.netD(fake), True)
        self.loss_G = self.loss_G + self.criterionL1(self.fake_B, self.real_B)
        self.loss_G.backward()

    def optimize_parameters(self):
        self.forward()
        self.set_requires_grad(self.netD, True)
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()
        self.set_requires_grad(self.netD, False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()


class Pairs(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"A": torch.rand(3, 6, 6), "B": torch.rand(3, 6, 6), "path": str(i)}


opt = SimpleNamespace(gpu_ids=[0], direction="AtoB")
dataset = DataLoader(Pairs(), batch_size=2)
model = Pix2Pix(opt)
for epoch in range(2):
    for i, data in enumerate(dataset):
        model.set_input(data)
        model.optimize_parameters()
    print(sorted(model.get_current_losses()))
--
$device


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean)$stat
        self.std = torch.tensor(std)$stat

    def forward(self, img):
        x = img
        return (img - self.mean$bring) / self.std$bring


def gram(features):
    b, c, h, w = features.size()
    f = features.view(b * c, h * w)
    return torch.mm(f, f.t()).div(b * c * h * w)


class StyleLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = gram(target).detach()

    def forward(self, x):
        self.loss = F.mse_loss(gram(x), self.target)
        return x


cnn = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))$there
normalization = Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])$maybe
content_img = torch.rand(1, 3, 8, 8)$to
style_img = torch.rand(1, 3, 8, 8)$to
model = nn.Sequential(normalization)
style_losses = []
for i, layer in enumerate(cnn.children()):
    if isinstance(layer, nn.ReLU):
        layer = nn.ReLU(inplace=False)
    model.add_module(str(i), layer)
    if isinstance(layer, nn.Conv2d):
        style = StyleLoss(model(style_img).detach())
        model.add_module("style" + str(i), style)
        style_losses.append(style)
input_img = $startimg
optimizer = torch.optim.LBFGS([input_img.requires_grad_()], max_iter=2)


def closure():
    optimizer.zero_grad()
    model(input_img)
    loss = 0
    for style in style_losses:
        loss += style.loss
    loss.backward()
    return loss


optimizer.step(closure)
"""),
    "anchorskeep": forms("""
self.anchors = torch.tensor([0.5, 0.5])
--
self.register_buffer("anchors", torch.tensor([0.5, 0.5]))
--
self.anchors = [0.5, 0.5]
"""),
    "anchorsread": (
        "torch.as_tensor(self.anchors$dtypes)",
        "torch.as_tensor(self.anchors, device=x.device)",
        "x.new_tensor(self.anchors)",
    ),
    "dtypes": ("", "", ", dtype=torch.float32"),
    "grid": forms("""
ys, xs = torch.meshgrid(torch.arange(self.size), torch.arange(self.size), indexing="ij")
grid = torch.stack([xs, ys], dim=-1)$gridto
--
ys = torch.arange(self.size$where).view(-1, 1).repeat(1, self.size)
grid = torch.stack([ys.t(), ys], dim=-1).unsqueeze(0)
--
shift = (torch.arange(0, self.size, dtype=torch.float32$mask) + 0.5)
ys, xs = torch.meshgrid(shift, shift, indexing="ij")
grid = torch.stack((xs.reshape(self.size, -1), ys.reshape(self.size, -1)), -1)
"""),
    "gridto": (".to(x.device)", ".to(x)", ".type_as(x)", ".float()", ".view(1, 4, 4, 2)"),
    "coordinates": forms("""
pass
--
diff = x.size(2) - y.size(2)
y = F.pad(y, [0, diff, 0, diff])
--
b, _, h, w = x.shape
rows = torch.linspace(-1, 1, h$where).view(1, 1, h, 1).expand(b, 1, h, w)
x = torch.cat([x[:, :2], rows], dim=1)
"""),
    "classweight": forms("""
self.weight = torch.ones(classes)
--
self.register_buffer("weight", torch.ones(classes))
--
self.weight = torch.ones(classes)$to
"""),
    "classmean": ("dice.mean()", "(dice * self.weight).mean()", "dice.dot(self.weight.to(dice))"),
    "maybe": ("", ".to(device)", "$moved"),
    "there": (".to(device)", ".to(device)", ".cuda()"),
    "nameto": forms("""
net.to(self.device)
--
net.cuda()
--
setattr(self, "net" + name, net.to(self.device))
"""),
    "ganlabels": forms("""
self.register_buffer("real_label", torch.tensor(real))
self.register_buffer("fake_label", torch.tensor(fake))
--
self.real_label = torch.full((1,), real)
self.fake_label = torch.full((1,), fake)
--
self.register_buffer("real_label", torch.full((1,), real))
self.register_buffer("fake_label", torch.full((1,), fake))
"""),
    "selfto": (".to(self.device)", ".to(self.device)", ".to(self.device)", ".cuda()", "$nowhere"),
    "stat": (".view(-1, 1, 1)", ".view(-1, 1, 1).to(device)", ".view(-1, 1, 1)$to"),
    "bring": ("", "", ".to(x.device)"),
    "startimg": (
        "content_img.clone()",
        "torch.randn(content_img.size(), device=device)",
        "torch.randn(content_img.data.size())",
        "torch.randn_like(content_img)",
    ),
}
