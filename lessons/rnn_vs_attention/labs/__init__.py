"""The labs of lesson 5."""

from lessons.rnn_vs_attention.labs.bottleneck import BOTTLENECK
from lessons.rnn_vs_attention.labs.gradient_flow import GRADIENT_FLOW
from lessons.rnn_vs_attention.labs.path_length import PATH_LENGTH

LABS = (PATH_LENGTH, BOTTLENECK, GRADIENT_FLOW)
