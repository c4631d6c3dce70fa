j
locationxp