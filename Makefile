# `make test` and `make train` need nothing but Python 3.11 or newer with pip and venv: they make what they use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed

.PHONY: test test-fast test-heavy test-all lint typed types unit browser
.PHONY: test-integrations test-oldest test-recipes test-rllib test-ray test-torchrl test-openspiel test-tianshou test-benchmarl test-agilerl
.PHONY: fuzz redeals fuzz-api attack mutants playthroughs
.PHONY: train experiments recipes benchmarks libraries strangers scaling leaderboard exploitability endgames bots bench before-after bench-peers
.PHONY: docs site notebooks dist clean

test: lint types unit  ## lint, types and all tests

test-fast: $(STAMP)  ## the tests that take no longer than about a second each
	$(BIN)/python -m pytest $(PARALLEL) -m 'not slow and not heavy'

test-heavy: $(STAMP)  ## the tests that take too long for `make test`
	$(BIN)/python -m pytest $(PARALLEL) -m heavy

test-all: test test-heavy test-integrations fuzz  ## everything: the tests, other libraries, and the literal implementation

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "strand_env needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install -qq --constraint constraints.txt --editable '.[dev]'
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Tools that read types do not follow the mapped folders of an editable install: they get a folder of links instead.
typed: $(STAMP)
	@rm -rf $(VENV)/typed && mkdir -p $(VENV)/typed/strand_env
	@cd $(VENV)/typed/strand_env && ln -s ../../../strand_env/* ../../../agents ../../../train .

types: typed
	cd $(VENV)/typed && ../bin/mypy --config-file ../../pyproject.toml --cache-dir ../mypy -p strand_env

# One process per core; idle ones steal tests from busy ones.
PARALLEL := -n auto --dist worksteal

unit: $(STAMP) browser
	$(BIN)/python -m pytest $(PARALLEL)

# The page is tested in Chromium. Where there is none and it cannot be installed, those tests are skipped; nothing fails.
browser:
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "installing Chromium, to test the page"; \
		(apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium) \
			> /dev/null || echo "Chromium could not be installed: the page is not tested in a browser"; \
	else echo "no Chromium here, and only root can install it by apt-get: the page is not tested in a browser"; fi

# Other libraries, each in an environment of its own, as they want different versions of Gymnasium.
RLLIB := .venv-rllib
TORCHRL := .venv-torchrl
TIANSHOU := .venv-tianshou
BENCHMARL := .venv-benchmarl
AGILERL := .venv-agilerl
OPENSPIEL := .venv-openspiel
OLDEST := .venv-oldest
$(RLLIB)/installed: PACKAGES := '.[arena,cli,openspiel,ray,train]' gymnasium==1.2.2
$(TORCHRL)/installed: PACKAGES := '.[cli,torchrl]' 'gymnasium==1.4.*'
$(OPENSPIEL)/installed: PACKAGES := '.[arena,openspiel]' open_spiel==2.0.2
$(OLDEST)/installed: PACKAGES := '.[cli,train]' 'numpy==1.26.*' 'gymnasium==1.1.*' 'pettingzoo==1.24.*' 'numba==0.61.*'
$(TIANSHOU)/installed: PACKAGES := '.[cli]' 'tianshou==2.0.*'
$(BENCHMARL)/installed: PACKAGES := '.[cli]' 'benchmarl==1.5.*'
$(AGILERL)/installed: PACKAGES := '.[cli]' 'agilerl==2.58.*' peft
LIBRARIES := $(RLLIB) $(TORCHRL) $(TIANSHOU) $(BENCHMARL) $(AGILERL)
$(LIBRARIES:=/installed) $(OPENSPIEL)/installed $(OLDEST)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install -qq --constraint constraints.txt --editable $(PACKAGES) 'pytest>=8.3'
	@touch $@

ADAPTERS := tests/test_pettingzoo.py tests/test_gymnasium.py tests/test_gymnasium_vector.py tests/test_sb3.py tests/test_selfplay.py
test-integrations: test-oldest test-rllib test-torchrl test-openspiel  ## with the oldest and newest packages, and with other libraries
test-integrations: test-recipes test-ray test-tianshou test-benchmarl test-agilerl

# A library that is absent would leave no test to run, which is an error: hence each has a run of its own. Ray writes to the
# home folder, so it is given another one.
test-rllib: $(RLLIB)/installed
	HOME=$(abspath $(RLLIB)) $(RLLIB)/bin/python -m pytest tests/integrations/test_rllib.py
	HOME=$(abspath $(RLLIB)) $(RLLIB)/bin/python -m pytest tests/test_docs.py -k 'code_runs and RLlib'
	$(RLLIB)/bin/python -m pytest tests/integrations/test_recipes.py -k rllib
	$(RLLIB)/bin/python -m pytest $(ADAPTERS)

# Two nodes of a Ray cluster on this machine, some of which are killed.
test-ray: $(RLLIB)/installed
	HOME=$(abspath $(RLLIB)) $(RLLIB)/bin/python -m pytest tests/integrations/test_ray.py

test-torchrl: $(TORCHRL)/installed
	$(TORCHRL)/bin/python -m pytest tests/integrations/test_torchrl.py
	$(TORCHRL)/bin/python -m pytest tests/test_docs.py -k 'code_runs and TorchRL'
	$(TORCHRL)/bin/python -m pytest tests/integrations/test_recipes.py -k torchrl
	$(TORCHRL)/bin/python -m pytest tests/test_pettingzoo.py tests/test_gymnasium.py tests/test_gymnasium_vector.py

# The recipes that need no other library.
test-recipes: $(STAMP)
	$(BIN)/python -m pytest tests/integrations/test_recipes.py -k 'maskable or selfplay or cleanrl'

test-tianshou test-benchmarl test-agilerl: test-%: .venv-%/installed
	.venv-$*/bin/python -m pytest tests/integrations/test_recipes.py -k $*

# On one thread: OpenSpiel's games in Python are small work, and BLAS would only get in its way.
test-openspiel: $(OPENSPIEL)/installed
	OMP_NUM_THREADS=1 $(OPENSPIEL)/bin/python -m pytest tests/integrations/test_openspiel.py
	OMP_NUM_THREADS=1 $(OPENSPIEL)/bin/python -m pytest tests/test_docs.py -k 'code_runs and openspiel'

# The oldest packages that pyproject.toml allows. PettingZoo has had a registry since 1.27.
RULES := tests/test_batch.py tests/test_turns.py tests/test_examples.py tests/test_maui_examples.py
test-oldest: $(OLDEST)/installed
	$(OLDEST)/bin/python -m pytest $(ADAPTERS) $(RULES) -k 'not pettingzoos_registry'

train: $(STAMP)  ## train an agent in less than ten minutes, show how it gets better, and measure it
	$(BIN)/strand train

# The literal implementations are compiled for long comparisons: twice as fast. Without a C compiler they run as they are.
TWINS := .fuzz/twins
$(TWINS)/made: $(wildcard tests/naive*.py) $(STAMP)
	@rm -rf $(TWINS) && mkdir -p $(TWINS) && cp $(filter %.py,$^) $(TWINS)
	cd $(TWINS) && $(abspath $(BIN))/mypyc *.py > made 2>&1 || { rm -f *.so; echo "not compiled: see $(TWINS)/made"; }

GAMES ?= 100000
fuzz: $(STAMP) $(TWINS)/made  ## compare the engine with the literal ones: make fuzz GAMES=…, of one game: GAME=…
	PYTHONPATH=$(TWINS):tests $(BIN)/python -P tests/fuzz.py --games $(GAMES) $(if $(GAME),--game $(GAME))

POSITIONS ?= 100000
redeals: $(STAMP)  ## redeal positions of Sea or Shore, and see that no observer would notice: make redeals POSITIONS=…
	$(BIN)/python tests/redeals.py --positions $(POSITIONS)

SECONDS ?= 300
fuzz-api: $(STAMP)  ## wrong calls of everything public, for all games: make fuzz-api SECONDS=…
	$(BIN)/python tests/fuzz_api.py --seconds $(SECONDS)

attack: $(STAMP)  ## hostile files and names, garbage for the page's server, kills, full disks, wrong calls: a few minutes
	$(BIN)/python tests/attack.py

playthroughs: $(STAMP)  ## write the golden playthroughs again
	$(BIN)/python tests/playthroughs.py

# With RAY=ADDRESS (or RAY=local) the deals are played on a Ray cluster, by the Python of the environment that has Ray.
ON_RAY := $(if $(RAY),--ray $(RAY))
PLAYER := $(if $(RAY),$(RLLIB),$(VENV))

# In an environment with OpenSpiel, whose α-rank the tables show.
BOARD := $(if $(RAY),$(RLLIB),$(OPENSPIEL))
leaderboard: $(BOARD)/installed  ## play all agents against each other, and write the leaderboards: of one game: GAME=…, on a cluster: RAY=…
	$(BOARD)/bin/python docs/leaderboard.py $(if $(GAME),--game $(GAME)) $(ON_RAY)

# Figures by CPU time, so other work on the machine matters little; it takes about two minutes of it.
scaling: $(RLLIB)/installed  ## measure what one core and one or two env runners do, and write the tables of docs/scaling.md
	HOME=$(abspath $(RLLIB)) OMP_NUM_THREADS=1 $(RLLIB)/bin/python docs/scaling.py

strangers: $(STAMP)  ## evaluate agents against opponents held out of training, and write the tables of docs/arena.md
	OMP_NUM_THREADS=1 $(BIN)/python docs/strangers.py

exploitability: $(PLAYER)/installed  ## measure how exploitable each agent is, and write docs/exploitability.md: GAME=…, RAY=…
	OMP_NUM_THREADS=1 $(PLAYER)/bin/python docs/exploitability.py $(if $(GAME),--game $(GAME)) $(ON_RAY)

experiments: $(STAMP)  ## run the experiments of docs/training.md and update its tables
	$(BIN)/python docs/experiments.py

# On one thread: more of them slow networks this small down.
recipes: $(STAMP)  ## run the README's training lines for all games, evaluate them, and write their table: of one game: GAME=…
	OMP_NUM_THREADS=1 $(BIN)/python docs/recipes.py $(if $(GAME),--game $(GAME))

# Each recipe in its library's environment; finished runs are kept in docs/benchmarks/finished.
benchmarks: $(STAMP) $(LIBRARIES:=/installed)  ## standard algorithms on all games: MINUTES=… of CPU time, SEEDS=…, GAME=…, ALGORITHM=…, RAY=…
	$(PLAYER)/bin/python docs/benchmarks/benchmarks.py benchmarks $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEEDS),--seeds $(SEEDS)) \
		$(if $(GAME),--game $(GAME)) $(if $(ALGORITHM),--algorithm $(ALGORITHM)) $(ON_RAY)

libraries: $(STAMP) $(LIBRARIES:=/installed)  ## a short run of every library's recipe, for docs/training-libraries.md: ALGORITHM=…, RAY=…
	$(PLAYER)/bin/python docs/benchmarks/benchmarks.py libraries $(if $(ALGORITHM),--algorithm $(ALGORITHM)) $(ON_RAY)

ENDGAMES ?= 1000
endgames: $(STAMP)  ## solve endgames and a small game of Strand Unter, and write how far from equilibrium agents are: ENDGAMES=…, LONGER=…
	OMP_NUM_THREADS=1 $(BIN)/python docs/endgames.py --endgames $(ENDGAMES) $(if $(LONGER),--longer $(LONGER))

bots: $(OPENSPIEL)/installed  ## OpenSpiel's searches against ours at equal time, for docs/openspiel.md
	OMP_NUM_THREADS=1 $(OPENSPIEL)/bin/python docs/bots.py

docs: $(STAMP)  ## regenerate the generated pages of docs/
	$(BIN)/python docs/generate.py

dist: $(STAMP)  ## build wheel and source distribution into dist/: for PyPI ADDRESS=https://…, where the repository is public
	$(BIN)/python docs/release.py $(if $(ADDRESS),--address $(ADDRESS))

notebooks: $(STAMP)  ## execute the notebooks, and write them with their outputs
	$(BIN)/python notebooks/execute.py

$(VENV)/installed-site: $(STAMP)
	$(BIN)/python -m pip install -qq --constraint constraints.txt --editable '.[site]'
	@touch $@

site: $(VENV)/installed-site typed  ## build the documentation site, with the API reference, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

bench: $(STAMP)  ## table and plot of the engine's speed
	$(BIN)/strand bench
	$(BIN)/strand bench --game maui --plot results/speed_maui.png
	$(BIN)/strand bench --game sea_or_shore --plot results/speed_sea_or_shore.png

MUTANTS ?= 200
mutants: $(STAMP)  ## small faults put into the engine and all rules: which do the tests miss? make mutants MUTANTS=…
	$(BIN)/python tests/mutants.py --mutants $(MUTANTS)

BEFORE ?= HEAD~1
before-after: $(STAMP)  ## the speed of an older commit and of this one, by turns: make before-after BEFORE=…
	$(BIN)/python tests/before_after.py $(BEFORE)

PEERS := .venv-peers
$(PEERS)/installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade pip
	$(PEERS)/bin/python -m pip install -qq --editable '.[bench]' \
		jax==0.10.2 pgx==2.6.0 open_spiel==2.0.2 'pettingzoo[classic]==1.27.0'
	@touch $@

bench-peers: $(PEERS)/installed  ## the same, with other environments measured in the same run
	$(PEERS)/bin/strand bench
	$(PEERS)/bin/strand bench --game maui --plot results/speed_maui.png
	$(PEERS)/bin/strand bench --game sea_or_shore --plot results/speed_sea_or_shore.png

clean:
	rm -rf $(VENV) $(LIBRARIES) $(OPENSPIEL) $(OLDEST) $(PEERS) build dist site *.egg-info
	find strand_env agents train -name '*.nb[ic]' -delete
