"""A limit for code that does not look at the clock."""

import signal
import threading

import pytest

from scsp_player.commands.time_limit import OutOfTimeError, interrupted_after


def test_a_loop_without_end_is_left():
    def endless():
        with interrupted_after(0.02):
            while True:
                pass

    with pytest.raises(OutOfTimeError):
        endless()


def test_nothing_happens_to_what_is_done_in_time():
    before = signal.getsignal(signal.SIGALRM)
    with interrupted_after(3600):
        total = sum(range(10))
    assert total == 45
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def test_other_threads_keep_the_time_themselves():
    done = []

    def work():
        with interrupted_after(0.0):
            done.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done
