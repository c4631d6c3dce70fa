/// The convolutions of ResNet-18 that published designs of the accelerator were compared on, for
/// every shape of its elements. Source: Moreau et al. 2018, "VTA: An Open Hardware-Software Stack
/// for Deep Learning", Table 1.
#pragma once

#include <span>
#include <string>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// A square convolution, padded so that its result is as large as its data over `stride`.
struct ConvolutionLayer {
  char const* name;
  int64_t extent;  ///< rows and columns of the data
  int64_t in, out;
  int64_t kernel, stride;
  int times;  ///< in the network
};
/// C2 to C12: all but the first one, which has too few channels, and C3, which was not measured.
std::span<ConvolutionLayer const> resnet18_layers();

/// A tensor expression, in blocks of the configuration, for as many images as lie in one block;
/// sums are shifted and clipped. Errors: unfit_layer (its channels are no whole blocks).
Result<std::string> expression_of(ConvolutionLayer const& layer,
                                  Configuration const& configuration);

}  // namespace tw::vta
