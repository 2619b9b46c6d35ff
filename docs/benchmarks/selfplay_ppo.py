"""Plain PyTorch: PPO by self-play, train/selfplay_minimal.py."""

import torch
from running import Report, Task, run

from strand_env.train.selfplay_minimal import Agent, Args, Collector, update


def train(task: Task, report: Report) -> None:
    torch.manual_seed(task.seed)
    torch.set_num_threads(1)
    args = Args(game=task.game, seed=task.seed)
    collector = Collector(args)
    agent = Agent(collector.encoding.size, args.hidden, collector.games.num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate)

    @torch.no_grad()
    def policy(observations, masks):
        return agent(torch.from_numpy(observations), torch.from_numpy(masks))[0].argmax(dim=1)

    frames = 0
    while report(frames, policy):
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - 0.9 * report.progress)
        rollout = collector.collect(agent)
        update(agent, optimizer, rollout, args)
        frames += len(rollout)


if __name__ == "__main__":
    run(train)
