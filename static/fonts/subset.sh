#!/bin/sh
# Rebuilds the fonts of this folder from the npm packages named in README.md.
# Usage: subset.sh FOLDER_WITH_UNPACKED_PACKAGES (needs fonttools and brotli)
set -eu
from=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
latin='U+20-7E,U+A0-FF,U+131,U+152-153,U+2BC,U+2C6,U+2DA,U+2DC,U+300-304,U+308,U+30C,U+2009,U+200A,U+202F,U+2010-2015,U+2018-201A,U+201C-201E,U+2020-2022,U+2026,U+2032-2033,U+2039-203A,U+20AC,U+2122,U+2212'
ext='U+100-17F'
maths='U+20,U+21,U+28-2F,U+30-39,U+3A-3F,U+41-5D,U+5F,U+61-7E,U+A0,U+AC,U+B1-B3,U+B7,U+B9,U+D7,U+F7,U+131,U+237,U+393,U+394,U+398,U+39B,U+39E,U+3A0,U+3A3,U+3A6,U+3A8,U+3A9,U+3B1-3C9,U+3D5,U+3F5,U+302-304,U+2070,U+2074-2079,U+207B,U+2080-2089,U+20D7,U+2016,U+2032,U+2033,U+2061-2063,U+210E,U+2112,U+211D,U+2113,U+2190-2194,U+21B5,U+21E5,U+21A6,U+21D2,U+21D4,U+2200,U+2202,U+2203,U+2205-2209,U+220F,U+2211,U+2212,U+2218,U+221A,U+221D,U+221E,U+2223,U+2225,U+2229,U+222A,U+222B,U+223C,U+2248,U+2260-2265,U+226A,U+226B,U+2282,U+2286,U+2295,U+2297,U+2299,U+22A4,U+22A5,U+22C5,U+22EE-22F1,U+2308-230B,U+23DE,U+23DF,U+25CF,U+27E8,U+27E9,U+2423,U+1D434-1D467,U+1D6FC-1D714'
limit() { fonttools varLib.instancer --quiet -o "$2" "$1" "$3"; }
cut_to() { pyftsubset "$1" --output-file="$here/$2" --flavor=woff2 --unicodes="$3" --layout-features="$4" --desubroutinize --name-IDs=1,2,13,14 --no-hinting; }
plain='kern,mark,mkmk,ccmp,locl,liga'
face() { # package, file stem, style, axis, short name, features
  for part in latin latin-ext; do
    source="$from/$1/files/$2-$part-wght-$3.woff2"
    case $part in latin) chars=$latin;; latin-ext) chars=$ext;; esac
    limit "$source" "$work/f.ttf" "$4"
    cut_to "$work/f.ttf" "$5-$part.woff2" "$chars" "$6"
  done
}
face source-serif-4 source-serif-4 normal wght=400:700 serif "$plain,pnum"
limit "$from/source-serif-4/files/source-serif-4-latin-wght-italic.woff2" "$work/i.ttf" wght=400
cut_to "$work/i.ttf" serif-italic-latin.woff2 "$latin" "$plain"
face inter inter normal wght=400:650 sans "$plain,tnum"
face jetbrains-mono jetbrains-mono normal wght=400:600 mono "kern,mark,mkmk,ccmp,locl"
# The root sign loses its taller forms: Chromium keeps the width of the widest beside every root.
python3 - "$from/stix-two-math/files/stix-two-math-latin-400-normal.woff2" "$work/m.ttf" <<'PYTHON'
import sys
from fontTools.ttLib import TTFont

font = TTFont(sys.argv[1])
variants = font["MATH"].table.MathVariants
root = variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[0x221A])
built = variants.VertGlyphConstruction[root]
built.MathGlyphVariantRecord = built.MathGlyphVariantRecord[:1]
built.VariantCount, built.GlyphAssembly = 1, None
font.flavor = None
font.save(sys.argv[2])
PYTHON
pyftsubset "$work/m.ttf" \
  --output-file="$here/maths.woff2" --flavor=woff2 --unicodes="$maths" --layout-features=ssty,dtls,flac,ccmp \
  --name-IDs=1,2,13,14 --no-hinting
rm -r "$work"
