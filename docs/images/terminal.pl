#!/usr/bin/perl
# Draws a terminal screen as an SVG file: lines of text on standard input, SVG on standard output.
# A line that begins with "$ " is a command. To renew run.svg, in the folder of the repository:
#
#   tmux -L picture new-session -d -x 124 -y 30 "PS1='\$ ' PATH=build/release:\$PATH bash --norc"
#   tmux -L picture send-keys "windlass run examples/kep-4443-story-1.yaml" Enter; sleep 5
#   tmux -L picture send-keys "windlass run examples/first-job.yaml" Enter; sleep 6
#   tmux -L picture capture-pane -p | perl docs/images/terminal.pl > docs/images/run.svg
#   tmux -L picture kill-server
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($font, $advance, $leading, $margin, $bar) = (12, 7.2, 18, 16, 30);

my @lines = map { s/\s+$//r } <STDIN>;
pop @lines while @lines && $lines[-1] eq '';
my $columns = 0;
for my $line (@lines) { $columns = length $line if length $line > $columns; }
my $width = int(2 * $margin + $columns * $advance);
my $height = $bar + 2 * $margin + @lines * $leading - 6;

print <<"SVG";
<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" viewBox="0 0 $width $height">
<style>
  text { font: ${font}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dae0; white-space: pre }
  .command { fill: #ffffff; font-weight: bold }
</style>
<rect width="$width" height="$height" rx="8" fill="#1e2227"/>
<circle cx="20" cy="18" r="5" fill="#5b6270"/><circle cx="38" cy="18" r="5" fill="#5b6270"/><circle cx="56" cy="18" r="5" fill="#5b6270"/>
SVG
for my $row (0 .. $#lines) {
  my $text = $lines[$row];
  my $class = $text =~ /^\$ / ? ' class="command"' : '';
  my $y = $bar + $margin + $font + $row * $leading - 4;
  my $length = sprintf '%.1f', length($text) * $advance;
  $text =~ s/&/&amp;/g;
  $text =~ s/</&lt;/g;
  printf qq{<text x="%d" y="%d" textLength="%s" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>\n},
    $margin, $y, $length, $class, $text
    if $text ne '';
}
print "</svg>\n";
