/// A small convolution of bytes in VTA's elements, as an argument of a command.
#pragma once

namespace typed_kernels {

inline constexpr char kTypedConv[] =
    "te:tilewright te 1\n"
    "kernel conv(X: i8[1, 2, 6, 6, 16], W: i8[2, 2, 3, 3, 16, 16] @param) -> Y\n"
    "  pad[n in 1, c in 2, y in 8, x in 8, i in 16] = select(1 <= y && y < 7 && 1 <= x && x < 7, "
    "X[n, c, y-1, x-1, i], 0:i8)\n"
    "  conv[n in 1, o in 2, y in 6, x in 6, j in 16] = sum[c in 2, r in 3, s in 3, i in 16] "
    "i32(pad[n, c, y+r, x+s, i]) * i32(W[o, c, r, s, j, i])\n"
    "  Y[n in 1, o in 2, y in 6, x in 6, j in 16]: i8 = i8(min(max(conv[n, o, y, x, j] >> 8:i32, "
    "-127:i32), 127:i32))\n";
/// The same as a file has it.
inline constexpr char const* kConvFile = kTypedConv + 3;

}  // namespace typed_kernels
