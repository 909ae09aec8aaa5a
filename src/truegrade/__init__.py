"""truegrade: how good is a generative model really?"""
