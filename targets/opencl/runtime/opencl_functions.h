/// The functions of the ICD loader, opened at run time: nothing is linked, and a machine without it
/// is one without OpenCL devices.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "engine/support/base/error.h"

namespace tw::opencl {

/// Every function that is called, once; all are of OpenCL 1.2.
#define TW_OPENCL_FUNCTIONS(F)   \
  F(clGetPlatformIDs)            \
  F(clGetDeviceIDs)              \
  F(clGetDeviceInfo)             \
  F(clCreateContext)             \
  F(clReleaseContext)            \
  F(clCreateCommandQueue)        \
  F(clReleaseCommandQueue)       \
  F(clCreateBuffer)              \
  F(clReleaseMemObject)          \
  F(clEnqueueFillBuffer)         \
  F(clEnqueueWriteBuffer)        \
  F(clEnqueueReadBuffer)         \
  F(clEnqueueCopyBuffer)         \
  F(clCreateProgramWithSource)   \
  F(clBuildProgram)              \
  F(clGetProgramBuildInfo)       \
  F(clReleaseProgram)            \
  F(clCreateKernel)              \
  F(clReleaseKernel)             \
  F(clGetKernelWorkGroupInfo)    \
  F(clSetKernelArg)              \
  F(clEnqueueNDRangeKernel)      \
  F(clEnqueueMarkerWithWaitList) \
  F(clGetEventProfilingInfo)     \
  F(clWaitForEvents)             \
  F(clReleaseEvent)              \
  F(clFlush)                     \
  F(clFinish)

struct Functions {
#define TW_MEMBER(name) decltype(&::name) name = nullptr;
  TW_OPENCL_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER
};

/// Opened once for the process. Errors: no_such_hardware, whose message ends a sentence.
Result<Functions const*> functions();

/// "CL_OUT_OF_RESOURCES" of its number.
std::string name_of(cl_int code);

}  // namespace tw::opencl
