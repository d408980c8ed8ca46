"""Buttons that step through places, and play them at the ticks of a clock in the page."""

import pytest

from preemption.page.player import Player


class Places:
    def __init__(self, last):
        self.now, self.last, self.seen = 0, last, []
        self.player = Player(lambda: (self.now, self.last), self.go)

    def go(self, place):
        self.now = place
        self.seen.append(place)

    def tick(self, times=1):
        self.player.clock.value += times


@pytest.fixture
def places():
    return Places(4)


def test_steps_stay_between_the_ends(places):
    for button in (places.player.back, *[places.player.on] * 6, places.player.back):
        button.click()
    assert places.seen == [1, 2, 3, 4, 3]


def test_play_goes_on_at_each_tick_and_stops_at_the_end(places):
    player = places.player
    player.button.click()
    assert (player.clock.playing, player.button.description) == (True, "pause")
    for _ in range(4):
        places.tick()
    assert places.seen == [1, 2, 3, 4]
    assert (player.clock.playing, player.button.description) == (False, "play")
    places.tick()
    assert places.now == 4
    player.button.click()
    assert (places.now, player.clock.playing) == (0, True)


def test_it_pauses_by_the_same_button_and_by_a_step(places):
    player = places.player
    player.button.click()
    places.tick()
    player.button.click()
    places.tick()
    assert (places.now, player.clock.playing) == (1, False)
    player.play()
    player.on.click()
    places.tick()
    assert (places.now, player.clock.playing) == (2, False)


def test_it_stops_when_the_kernel_did_not_listen(places):
    places.player.play()
    places.tick(2)  # one message for two ticks
    assert (places.now, places.player.clock.playing) == (1, True)
    places.tick(30)
    assert (places.now, places.player.clock.playing) == (1, False)


@pytest.mark.parametrize(("steps", "interval_ms"), [(1, 1000), (3, 333), (10, 100)])
def test_steps_per_second(places, steps, interval_ms):
    places.player.per_second(steps)
    assert places.player.clock.interval == interval_ms
