"""Data sets and loaders."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

DATA = {
    "dataset": forms("""
class Points(Dataset):
    def __init__(self, count=6):
        self.x = torch.randn(count, 4)
        self.y = torch.arange(count) % 2

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]
--
class Points(Dataset):
    def __init__(self, count=6):
        self.rows = [(np.random.rand(4).astype("float32"), i % 2) for i in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row, label = self.rows[index]
        return torch.from_numpy(row), torch.tensor(label)
--
class Points(torch.utils.data.Dataset):
    def __init__(self, count=6):
        self.x = np.random.rand(count, 4)
        self.y = [i % 2 for i in range(count)]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = torch.tensor(self.x[i], dtype=torch.float32)
        return x, self.y[i]
--
def Points(count=6):
    x = torch.randn(count, 4)
    y = torch.zeros(count, dtype=torch.long)
    return TensorDataset(x, y)
--
class Points(IterableDataset):
    def __init__(self, count=6):
        self.count = count

    def __len__(self):
        return self.count

    def __iter__(self):
        for i in range(self.count):
            yield torch.full((4,), float(i)), i % 2
--
class Points(Dataset):
    def __init__(self, count=6, transform=None):
        self.count = count
        self.transform = transform

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index >= self.count:
            raise IndexError(index)
        sample = torch.ones(4) * index
        if self.transform is not None:
            sample = self.transform(sample)
        label = index % 2
        return sample, label
--
def Points(count=6):
    samples = []
    for i in range(count):
        samples.append((torch.randn(4), i % 2))
    return samples
"""),
    "loader": forms("""
loader = DataLoader(Points(), batch_size=3)
test_loader = DataLoader(Points(4), batch_size=2)
--
loader = DataLoader(Points(), batch_size=3, num_workers=0, drop_last=True)
test_loader = DataLoader(Points(3), batch_size=2)
--
train_set = Points(6)
loader = torch.utils.data.DataLoader(train_set, batch_size=2)
test_loader = torch.utils.data.DataLoader(dataset=Points(4), batch_size=2)
--
def collate(samples):
    xs, ys = zip(*samples)
    return torch.stack(xs), torch.tensor([int(y) for y in ys])


loader = DataLoader(Points(), batch_size=3, collate_fn=collate)
test_loader = DataLoader(Points(4), batch_size=2, collate_fn=collate)
--
def collate(samples):
    xs = torch.stack([s[0] for s in samples], dim=0)
    ys = torch.LongTensor([int(s[1]) for s in samples])
    return xs, ys


loader, test_loader = (DataLoader(Points(n), 2, collate_fn=collate) for n in (6, 4))
--
def get_loaders(batch_size=2):
    train = DataLoader(Points(6), batch_size=batch_size)
    test = DataLoader(Points(4), batch_size=batch_size)
    return train, test


loader, test_loader = get_loaders()
--
loaders = {"train": DataLoader(Points(6), batch_size=2), "test": DataLoader(Points(4), 2)}
loader = loaders["train"]
test_loader = loaders["test"]
--
def collate(samples):
    xs = torch.stack([s[0] for s in samples]).to(device)
    ys = torch.tensor([int(s[1]) for s in samples], device=device)
    return xs, ys


loader = DataLoader(Points(), batch_size=3, collate_fn=collate)
test_loader = DataLoader(Points(4), batch_size=2, collate_fn=collate)
"""),
}
