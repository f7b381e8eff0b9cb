"""Programs that learn what to do from what comes of it."""

from __future__ import annotations

from tests.fuzz.programs.forms import forms

AGENTS = {
    "agents": forms("""
$device
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return F.softmax(self.head(F.relu(self.body(x))), dim=-1)


class Env:
    def reset(self):
        self.t = 0
        return np.random.rand(4).astype(np.float32)

    def step(self, action):
        self.t += 1
        return np.random.rand(4).astype(np.float32), 1.0, self.t == 4


policy = Policy()$moved
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
env = Env()


def select_action(state):
    state = $state_tensor
    probs = policy(state)
    m = torch.distributions.Categorical(probs)
    action = m.sample()
    return action.item(), m.log_prob(action)


for episode in range(2):
    state, done = env.reset(), False
    log_probs, rewards = [], []
    while not done:
        action, log_prob = select_action(state)
        state, reward, done = env.step(action)
        log_probs.append(log_prob)
        rewards.append(reward)
    returns, g = [], 0.0
    for r in rewards[::-1]:
        g = r + 0.99 * g
        returns.insert(0, g)
    returns = torch.tensor(returns$dev)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    $policyloss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
--
$device
class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.net(x)


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *transition):
        self.memory.append(transition)

    def sample(self, size):
        batch = random.sample(self.memory, size)
        states, actions, rewards, following, done = zip(*batch)
        $replay
        return states, actions, rewards, following, done


class Agent:
    def __init__(self):
        self.device = device
        self.q = QNet()$agentmoved
        self.target = QNet()$agentmoved
        self.target.load_state_dict(self.q.state_dict())
        self.buffer = ReplayBuffer(100)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def act(self, state):
        with torch.no_grad():
            state = $state_tensor
            return self.q(state).argmax(dim=1).item()

    def learn(self):
        states, actions, rewards, following, done = self.buffer.sample(4)
        q = self.q(states).gather(1, actions)
        best = self.target(following).max(1)[0].detach().unsqueeze(1)
        expected = rewards + 0.99 * best * (1 - done)
        loss = F.mse_loss(q, expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
state = np.zeros(4, dtype=np.float32)
for t in range(8):
    action = agent.act(state)
    following = np.random.rand(4).astype(np.float32)
    agent.buffer.push(state, action, 1.0, following, float(t == 7))
    state = following
agent.learn()
"""),
    "state_tensor": (
        "torch.from_numpy(state).float().unsqueeze(0)$moved",
        "torch.FloatTensor(state).unsqueeze(0)$moved",
        "torch.tensor(state, dtype=torch.float32$dev).unsqueeze(0)",
        "torch.as_tensor(state$dev).view(1, -1)",
    ),
    "policyloss": forms("""
loss = 0
for log_prob, g in zip(log_probs, returns):
    loss = loss - log_prob * g
loss = loss.sum()
--
loss = torch.cat([(-log_prob * g).reshape(1) for log_prob, g in zip(log_probs, returns)]).sum()
--
loss = (-torch.cat(log_probs) * returns).sum()
--
losses = []
for log_prob, g in zip(log_probs, returns):
    losses.append(-log_prob * g)
loss = torch.stack(losses).sum()
"""),
    "replay": forms("""
states = torch.from_numpy(np.stack(states))$moved
actions = torch.tensor(actions$dev).long().view(-1, 1)
rewards = torch.tensor(rewards$dev).view(-1, 1)
following = torch.from_numpy(np.stack(following)).float()$moved
done = torch.tensor(done, dtype=torch.float32$dev).view(-1, 1)
--
states = torch.FloatTensor(np.array(states))$moved
actions = torch.LongTensor(actions).unsqueeze(1)$moved
rewards = torch.FloatTensor(rewards).unsqueeze(1)$moved
following = torch.FloatTensor(np.array(following))$moved
done = torch.FloatTensor(done).unsqueeze(1)$moved
--
states, following = (torch.tensor(np.array(s), dtype=torch.float$dev) for s in (states, following))
actions = torch.tensor(actions, dtype=torch.long$dev).reshape(-1, 1)
rewards, done = [torch.tensor(s, dtype=torch.float$dev).reshape(-1, 1) for s in (rewards, done)]
"""),
    "agentmoved": (".to(device)", ".to(self.device)", ".to(self.device)", ".cuda()", ""),
}
